"""What happened in a call, kept."""
