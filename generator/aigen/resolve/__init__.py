"""From the trees of all spec files to the intermediate representation: names looked up, defaults bound."""
