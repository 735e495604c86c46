"""The expression language: parsed and typed once, then evaluated, emitted as C++ or put into words."""
