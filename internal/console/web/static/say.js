// Words to the person: say is for who can't see the change, trouble is for everyone.

export function say(text) {
  document.getElementById('say').textContent = text;
}

export function trouble(text) {
  const box = document.getElementById('trouble');
  box.textContent = text;
  box.hidden = !text;
}

// What went wrong stays until something goes well, or somebody has read it.
document.getElementById('trouble').addEventListener('click', () => trouble(''));
document.addEventListener('keydown', ({ key }) => { if (key === 'Escape') trouble(''); });

// send sends a request that changes something; what the server refuses it says in a sentence.
async function send(address, body) {
  let answer;
  try {
    answer = await fetch(address, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  } catch {
    throw new Error('The console doesn\'t answer: is the lab up?');
  }
  if (answer.ok) return answer;
  const { error } = await answer.json().catch(() => ({}));
  throw new Error(error ?? `The console answers with status ${answer.status}.`);
}

// post returns the answer to such a request.
export async function post(address, body = {}) {
  return (await send(address, body)).json().catch(() => ({}));
}

// listen gives the answer to such a request to hear(text), piece by piece as it comes.
export async function listen(address, body, hear) {
  const pieces = (await send(address, body)).body.pipeThrough(new TextDecoderStream()).getReader();
  for (let piece = await pieces.read(); !piece.done; piece = await pieces.read()) hear(piece.value);
}

// attempt shows what went wrong and says whether nothing did.
export async function attempt(what) {
  try {
    await what();
    trouble('');
    return true;
  } catch (problem) {
    trouble(problem.message);
    return false;
  }
}
