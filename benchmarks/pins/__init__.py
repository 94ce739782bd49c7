"""Two commits of karat beside each other: the same calls, interleaved, in processor time.

    python -m benchmarks.pins BASE [HEAD]     # make pins BASE=commit

`trees` builds a commit, `worker` runs one case of it, `sides` takes pairs of measurements by turns,
each in new processes, `ratios` decides in at most two looks, `table` prints. `cases` holds the
calls; a commit runs those of its own tree.
"""
