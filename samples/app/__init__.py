"""The application whose specs stand in `samples/specs`."""
