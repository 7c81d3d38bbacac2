"""The page that people read: one self-contained HTML file per study."""
