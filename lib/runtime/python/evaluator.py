"""Runs one cell: compiles it whole, executes it in `__main__`, and displays its final expression."""

import _ast
import sys

PyCF_ONLY_AST = 0x400


def evaluate(source: str, cell: int) -> None:
    """Takes the source of a cell and its id, runs it, and prints what it displays or raises."""
    filename = f"<cell {cell}>"
    namespace = sys.modules["__main__"].__dict__
    try:
        tree = compile(source, filename, "exec", PyCF_ONLY_AST, dont_inherit=True)
        final = None
        if tree.body and isinstance(tree.body[-1], _ast.Expr):
            final = compile(_ast.Expression(tree.body.pop().value), filename, "eval", dont_inherit=True)
        body = compile(tree, filename, "exec", dont_inherit=True)
        exec(body, namespace)
        if final is not None:
            sys.displayhook(eval(final, namespace))
    except BaseException:
        import traceback

        traceback.print_exc()
