"""Forgets the marker."""


def wieldy_approve(request):
    return None
