"""The team bus: seed S's ``team.db``, shared with any other client of it.

The only home of ``sqlite3``.  ``Channel`` is the way in; ``place`` says where things are.
"""
