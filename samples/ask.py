"""Calls two generated functions on the small model that runs on this machine."""

import aigen.runtime
from shop_ai import support

aigen.runtime.configure(model="local")

print(support.mood("It broke after one day."))
print(support.triage("Hi, could you send me a copy of my receipt? No hurry."))
