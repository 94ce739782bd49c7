"""Drop-ins for other libraries: their names, signatures, numbers, warnings and errors.

One module for each library; nothing in karat imports them.
"""
