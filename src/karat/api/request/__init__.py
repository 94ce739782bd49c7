"""Options of the verbs as records, and the request that holds their values."""
