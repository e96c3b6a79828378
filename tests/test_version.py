from importlib.metadata import version

import referee


def test_the_package_states_the_version_it_is_installed_as() -> None:
    assert referee.__version__ == version("referee")
