"""MAMORU, the guardian: does the mechanical part of the conversation for an agent (S).

``tasks`` folds events into what became of each task, ``state`` is what a guardian knows,
``rules`` the one table of what it does, ``machine`` applies it.  All of that is pure.
"""
