"""Prediction-powered inference: few gold labels and the labels of a judge for every row."""
