# Not measured yet: heating the chip before the first product; its reference in fp64.
set(FAMILY_START_SECONDS 1.2)
set(FAMILY_BESIDE_SECONDS 0.15)
