"""From YAML to the frozen ``Operator`` that everything else reads."""
