"""A function over many rows: columns, tables, batches and batch files; 3-runtime, *Columns*."""
