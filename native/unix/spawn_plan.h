// What is the same in every use of posix_spawn.
#pragma once

#include <spawn.h>
#include <sys/types.h>

#include <string>
#include <vector>

#include "core/descriptor.h"

namespace console {

// The attributes and file actions of one posix_spawn.
class SpawnPlan {
public:
	// descriptors[i] becomes descriptor i of the new process. Signal dispositions and the mask are reset; `flags` is
	// added to the attributes. Throws SystemError.
	SpawnPlan(const std::vector<int>& descriptors, short flags);
	~SpawnPlan();
	SpawnPlan(const SpawnPlan&) = delete;
	SpawnPlan& operator=(const SpawnPlan&) = delete;

	// Starts `program` with an empty environment and returns its process id. Throws SystemError, also when the program
	// cannot be executed.
	pid_t Run(const std::string& program, const std::vector<std::string>& arguments);

private:
	void ResetSignals(short flags);
	void Place(const std::vector<int>& descriptors);

	posix_spawnattr_t attributes_;
	posix_spawn_file_actions_t actions_;
	std::vector<Descriptor> lifted_;
};

}  // namespace console
