"""What generated code imports: typed functions over one shared client."""
