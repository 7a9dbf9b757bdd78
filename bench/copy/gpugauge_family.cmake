# Not measured yet: page-locking, filling and comparing up to a gigabyte of the host's memory.
set(FAMILY_BESIDE_SECONDS 0.3)
