/** The message that is sent: what somebody says in a chat. */
export const TEXT = JSON.stringify({ from: 'Ann', text: 'hello there, this is a message of a usual length' });
