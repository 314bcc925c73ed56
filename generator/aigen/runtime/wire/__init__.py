"""From bound inputs to a request, through the shared client, to a typed answer."""
