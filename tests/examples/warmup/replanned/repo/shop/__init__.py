"""Orders and receipts."""
