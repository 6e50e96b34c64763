"""The whole assistant measured in real time: utterances in, replies out, and figures read off both sides' sound."""
