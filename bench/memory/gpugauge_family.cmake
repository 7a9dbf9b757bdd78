# Not measured yet: gigabytes are filled and compared.
set(FAMILY_BESIDE_SECONDS 0.2)
