"""Runs a framework and proves where its work ran."""
