"""Who evaluates the cells of which language."""

from _console_runtime.evaluator import Evaluator


class Evaluators:
    """The evaluators of one session, each with `evaluate(source, name)`. Most sessions never need SQL's."""

    def __init__(self, host) -> None:
        """Takes the server."""
        self._host = host
        self._python = Evaluator()
        self._sql = None

    def of(self, language: str | None):
        """Takes the language of a cell or of the startup code, returns who evaluates it."""
        if language != 'sql':
            return self._python
        if self._sql is None:
            from _console_runtime.sql import SqlEvaluator

            self._sql = SqlEvaluator(self._host)
        return self._sql
