"""Machinery below earnest.audio: what containers declare, and how loud a signal is."""
