"""From the intermediate representation to texts of modules, and to files."""
