# Not measured yet: the reference in fp64.
set(FAMILY_BESIDE_SECONDS 0.15)
