"""The public verbs: from rows to results, with the forms that they are shown in."""
