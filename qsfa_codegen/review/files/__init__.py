"""What an edit of a spec does to the files that are generated from it."""
