"""The one place where speed is stated: every case checks its answers, then times them side by side.

make bench                         # everything
python -m benchmarks --only small  # the cases whose name holds "small"
"""
