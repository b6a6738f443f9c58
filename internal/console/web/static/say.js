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

// post sends a request that changes something; what the server refuses it says in a sentence.
export async function post(address, body = {}) {
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
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(said.error ?? `The console answers with status ${answer.status}.`);
  return said;
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
