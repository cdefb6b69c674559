// Nothing to set up.
def globals = [:]
globals
