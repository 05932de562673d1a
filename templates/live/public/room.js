// The page of a room. Texts are inserted as text, never as HTML.
const form = document.getElementById("form");
const messages = document.getElementById("messages");
const state = document.getElementById("state");
let socket, pause = 500;

function show({ name, text }) {
  const item = document.createElement("li");
  const author = document.createElement("strong");
  author.textContent = name;
  item.append(author, " ", text);
  messages.append(item);
  item.scrollIntoView({ block: "nearest" });
}

function connect() {
  socket = new WebSocket(location.href.replace(/^http/, "ws"));
  socket.onmessage = ({ data }) => {
    const { history, message, people, error } = JSON.parse(data);
    if (history) {
      pause = 500;
      messages.replaceChildren();
      history.forEach(show);
    }
    if (message) show(message);
    if (people) state.textContent = people === 1 ? "You are alone here" : `${people} people are here`;
    if (error) state.textContent = error;
  };
  // The server or the network has stopped: connect again, with growing pauses.
  socket.onclose = () => {
    state.textContent = "Waiting for the server …";
    setTimeout(connect, (pause = Math.min(pause * 2, 15_000)));
  };
}

form.elements.name.value = localStorage.getItem("name") ?? "";
form.onsubmit = (event) => {
  event.preventDefault();
  if (socket.readyState !== WebSocket.OPEN) return;
  const { name, text } = form.elements;
  localStorage.setItem("name", name.value);
  socket.send(JSON.stringify({ name: name.value, text: text.value }));
  text.value = "";
  text.focus();
};
connect();
