"""What users hand in, made uniform: columns of labels, weights, tables, the roles of their columns.

Nothing here counts, and nothing here knows what a metric is.
"""
