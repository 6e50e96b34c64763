"""Pictures: checked, told apart, asked for in words, and described for an engine that cannot see.

Nothing here decodes a picture. Frames are arrays of 8-bit RGB, `frame_rgb`: (height, width, 3).
"""
