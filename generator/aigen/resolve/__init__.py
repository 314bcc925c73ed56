"""From the trees of all spec files to the intermediate representation."""
