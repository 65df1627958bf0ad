"""Properties are about answers, not about time: a busy machine fails none of them."""

from hypothesis import settings

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
