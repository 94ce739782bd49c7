"""Influence of each row on a metric of scores: φ with T(w + ε·e_i) = T(w) + ε·φ_i / Σw + o(ε).

The standard error of a metric, a paired difference and a clustered variance all follow from φ. A
record names the form of its influence (`forms`); `gather` adds it up while columns are sorted, in
one pass for all metrics and averages.

Sources: LeDell, Petersen, van der Laan (2015) for the area; Hand, Till (2001) and Kleiman, Page
(2019) for the means of pairs; Hampel (1974) for the method.
"""
