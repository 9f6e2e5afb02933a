// The one home of the library's version; CMake reads it from here.
#ifndef MATPREC_VERSION_H_
#define MATPREC_VERSION_H_

#define MATPREC_VERSION_MAJOR 0
#define MATPREC_VERSION_MINOR 1
#define MATPREC_VERSION_PATCH 0

#endif  // MATPREC_VERSION_H_
