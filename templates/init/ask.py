"""Calls the generated function; AIGEN_MODEL says which model does its work."""

from ai import support

ticket = support.triage("The kettle sparks. Please call me today!")
print(ticket.summary)
print("urgent" if ticket.urgent else "not urgent")
