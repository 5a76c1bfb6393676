// Rules of the native parts that no test of the whole can bring about at will.
#include <cstdio>

#include "launcher/ending.h"
#include "unix/platform.h"

namespace {

int faults = 0;

void Expect(bool holds, const char* what) {
	if (holds) return;
	std::fprintf(stderr, "not so: %s\n", what);
	++faults;
}

bool BeganAfter(pid_t pid, pid_t newest) {
	constexpr std::int64_t kTick = 1000;
	return console::platform::BeganAfter({pid, 1, 1, kTick, false}, {kTick, newest});
}

// Process ids are given out upwards and then again from the bottom.
void CheckOrderOfIds() {
#ifdef __linux__
	long highest = 0;
	std::FILE* file = std::fopen("/proc/sys/kernel/pid_max", "r");
	Expect(file != nullptr && std::fscanf(file, "%ld", &highest) == 1, "there is a highest id");
	if (file != nullptr) std::fclose(file);
	const auto top = static_cast<pid_t>(highest - 1);
	Expect(BeganAfter(300, top), "after the highest id comes a low one");
	Expect(BeganAfter(top, top - 1), "the highest id comes after the one before it");
	Expect(!BeganAfter(top, 300), "the highest id came before the low one");
	Expect(!BeganAfter(top - 1, top), "the one before the highest came before it");
	Expect(!BeganAfter(top, top), "an id does not come after itself");
#endif
	Expect(BeganAfter(501, 500), "the next id comes after");
}

using console::Ending;
using Force = Ending::Force;

void CheckEnding() {
	Ending ending;
	Expect(ending.Advance(0, true) == Force::kNone && ending.NextTime() == -1, "nothing is due before the beginning");
	ending.Begin(1000, 700, 300);
	Expect(ending.Advance(1699, true) == Force::kNone && ending.NextTime() == 1700, "grace is waited for");
	Expect(ending.Advance(1700, true) == Force::kTerminate, "SIGTERM comes after the grace");
	Expect(ending.Advance(1999, true) == Force::kNone && ending.NextTime() == 2000, "SIGTERM is waited for");
	Expect(ending.Advance(2000, true) == Force::kKill, "SIGKILL comes after that");
	Expect(ending.Advance(2000, true) == Force::kNone, "a round is not repeated at once");
	console::Milliseconds now = 2000;
	int rounds = 0;
	for (; now < 12000; now = ending.NextTime()) rounds += ending.Advance(now, true) == Force::kKill ? 1 : 0;
	Expect(rounds > 15 && rounds < 25, "SIGKILL is repeated, ever more slowly, down to once a second");
}

void CheckShortEndings() {
	Ending no_runtimes;
	no_runtimes.Begin(0, 700, 300);
	Expect(no_runtimes.Advance(0, false) == Force::kTerminate, "without runtimes there is no grace");
	Ending no_term;
	no_term.Begin(0, 0, 0);
	Expect(no_term.Advance(0, true) == Force::kKill, "without time for SIGTERM there is none");
	Ending shortened;
	shortened.Begin(0, 700, 300);
	shortened.Begin(100, 100, 900);
	Expect(shortened.NextTime() == 200, "a second beginning shortens the grace");
	Expect(shortened.Advance(200, true) == Force::kTerminate && shortened.NextTime() == 500,
	       "it does not prolong SIGTERM");
	shortened.Begin(210, 0, 50);
	Expect(shortened.NextTime() == 260, "a later one shortens that too");
	shortened.Begin(220, 5000, 5000);
	Expect(shortened.NextTime() == 260, "nothing makes it longer");
}

}  // namespace

int main() {
	CheckOrderOfIds();
	CheckEnding();
	CheckShortEndings();
	std::printf("%d faults\n", faults);
	return faults == 0 ? 0 : 1;
}
