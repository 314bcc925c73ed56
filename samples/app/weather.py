"""Weather of a few cities."""

from __future__ import annotations

from typing import Literal


def get_weather_information(
    city: str,  # Name of the city
    zip_code: str | None = None,  # Zip code of the city (optional)
) -> dict[str, object]:
    """Get weather information for a city or location based on zip code"""
    return {"city": city, "zip_code": zip_code, "temparature": 25, "humidity": 80}


def temperature_in_location(
    location: Literal["Amsterdam", "Utrecht", "Enschede"] = "Amsterdam",
    unit: Literal["Celcius", "Fahrenheit"] = "Celcius",
) -> float:
    celcius = {"Amsterdam": 32.5, "Utrecht": 19.8, "Enschede": 22.7}[location]
    return celcius if unit == "Celcius" else celcius * 9 / 5 + 32
