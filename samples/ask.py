"""Calls two generated functions on the small model that runs on this machine."""

import aigen.runtime
from shop_ai import support

aigen.runtime.configure(model="local")

print(support.mood("It broke after one day."))
print(support.triage("The kettle sparks when I plug it in. Please call me today!"))
