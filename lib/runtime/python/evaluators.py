"""Who evaluates the cells of which language."""

from _console_runtime.evaluator import Evaluator


class Evaluators:
    """The evaluators of one session, each with `evaluate(source, name)`. Most sessions never need SQL's."""

    def __init__(self, host) -> None:
        """Takes the server."""
        self._host = host
        self._python = Evaluator()
        self._sql = None

    def prepare(self) -> None:
        """Loads what SQL cells need. In R's process that runs code of R's, so it cannot wait until a cell is there."""
        from _console_runtime.sql import SqlEvaluator

        self._sql = SqlEvaluator(self._host)

    def of(self, keys: dict[str, str]):
        """Takes the keys of the frame that brings a cell or the startup code, returns who evaluates it."""
        if keys.get('language') != 'sql':
            return self._python
        if self._sql is None:
            self.prepare()
        self._sql.use(keys.get('connection'))
        return self._sql
