"""What a person types: one file per group of commands."""
