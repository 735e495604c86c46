"""From the model to files: one module per artefact, wording and idiom in ``templates/``."""
