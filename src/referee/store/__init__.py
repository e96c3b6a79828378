"""Storage: schema, SQL, SQLite, secrets, attachments, export, backup."""
