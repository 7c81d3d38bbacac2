"""The machinery of `earnest.plan`: tables of pairs, sides of recordings, meetings of clips."""
