"""Mutation testing of karat's own code: do its tests notice when a line is wrong?

`python -m mutation` samples mutants of src/karat/metrics, tally and inference, runs each against
the tests that run its lines, and writes which were not noticed. decisions/12-trust.md says why this
is a tool of its own.
"""
