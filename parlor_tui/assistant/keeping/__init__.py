"""What is kept, and told, of a talk: conversations, the journal with its incidents, figures."""
